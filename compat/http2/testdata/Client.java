import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.stream.IntStream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;

/** Sends requests to an HTTP/2 server with the JDK's client: by Upgrade in cleartext, by ALPN over TLS. */
class Client {
  public static void main(String[] args) throws Exception {
    var trust = new X509TrustManager() {
      public void checkClientTrusted(X509Certificate[] chain, String type) {}
      public void checkServerTrusted(X509Certificate[] chain, String type) {}
      public X509Certificate[] getAcceptedIssuers() { return new X509Certificate[0]; }
    };
    var ssl = SSLContext.getInstance("TLS");
    ssl.init(null, new TrustManager[] {trust}, new SecureRandom());
    var client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_2).sslContext(ssl).build();
    var uri = URI.create(args[0] + "/");

    var got = client.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString());
    check(got.version() == HttpClient.Version.HTTP_2 && got.body().equals("hello\n"), got.version() + " " + got.body());
    var body = new byte[300_000];
    for (int i = 0; i < body.length; i++) body[i] = (byte) (i % 251);
    var back = client.send(HttpRequest.newBuilder(uri).POST(BodyPublishers.ofByteArray(body)).build(), BodyHandlers.ofByteArray());
    check(Arrays.equals(back.body(), body), back.body().length + " bytes came back");
    var all = IntStream.range(1, 50).mapToObj(i -> client.sendAsync(
        HttpRequest.newBuilder(uri).PUT(BodyPublishers.ofByteArray(body, 0, i * 100)).build(), BodyHandlers.ofByteArray())).toList();
    for (int i = 0; i < all.size(); i++) check(all.get(i).get().body().length == (i + 1) * 100, "request " + i);
    System.out.println("all is well");
    System.exit(0);
  }

  static void check(boolean good, String what) {
    if (!good) throw new AssertionError(what);
  }
}
