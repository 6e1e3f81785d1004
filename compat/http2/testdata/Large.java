import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.util.HexFormat;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;

/** Prints the SHA-256 of the downloaded body, or, if there is a file to upload, the server's answer. */
class Large {
  public static void main(String[] args) throws Exception {
    var trust = new X509TrustManager() {
      public void checkClientTrusted(X509Certificate[] chain, String type) {}
      public void checkServerTrusted(X509Certificate[] chain, String type) {}
      public X509Certificate[] getAcceptedIssuers() { return new X509Certificate[0]; }
    };
    var ssl = SSLContext.getInstance("TLS");
    ssl.init(null, new TrustManager[] {trust}, new SecureRandom());
    var client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_2).sslContext(ssl).build();
    if (args.length == 1) {
      var got = client.send(HttpRequest.newBuilder(URI.create(args[0] + "/down")).build(), BodyHandlers.ofInputStream());
      System.out.println(sum(got));
    } else {
      var up = HttpRequest.newBuilder(URI.create(args[0] + "/up")).PUT(BodyPublishers.ofFile(Path.of(args[1]))).build();
      var said = client.send(up, BodyHandlers.ofString());
      checkVersion(said);
      System.out.print(said.body());
    }
    System.exit(0);
  }

  static String sum(HttpResponse<InputStream> got) throws Exception {
    checkVersion(got);
    var sha = MessageDigest.getInstance("SHA-256");
    try (var in = new DigestInputStream(got.body(), sha)) {
      in.transferTo(OutputStream.nullOutputStream());
    }
    return HexFormat.of().formatHex(sha.digest());
  }

  static void checkVersion(HttpResponse<?> got) {
    if (got.version() != HttpClient.Version.HTTP_2) throw new AssertionError(got.version());
  }
}
