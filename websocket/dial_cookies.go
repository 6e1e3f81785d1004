package websocket

import "net/http"

// addCookies adds the jar's cookies for an endpoint to the request.
func (s *settings) addCookies(to *endpoint, r *http.Request) {
	if s.Jar == nil {
		return
	}
	for _, cookie := range s.Jar.Cookies(to.url) {
		r.AddCookie(cookie)
	}
}

// keepCookies stores the cookies of any response in the jar.
func (s *settings) keepCookies(to *endpoint, resp *http.Response) {
	if s.Jar == nil {
		return
	}
	if cookies := resp.Cookies(); len(cookies) > 0 {
		s.Jar.SetCookies(to.url, cookies)
	}
}
