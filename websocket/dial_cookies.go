package websocket

import "net/http"

// addCookies adds the cookies that the jar has for a place.
func (s *settings) addCookies(to *place, r *http.Request) {
	if s.Jar == nil {
		return
	}
	for _, cookie := range s.Jar.Cookies(to.url) {
		r.AddCookie(cookie)
	}
}

// keepCookies has the jar keep what an answer sets, whatever the answer is.
func (s *settings) keepCookies(to *place, resp *http.Response) {
	if s.Jar == nil {
		return
	}
	if cookies := resp.Cookies(); len(cookies) > 0 {
		s.Jar.SetCookies(to.url, cookies)
	}
}
