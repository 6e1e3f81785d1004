import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Tests the echo at a URL with the JDK's WebSocket. It prints nothing on success. The JDK has no compression. */
class Client implements WebSocket.Listener {
    private final BlockingQueue<Object> heard = new LinkedBlockingQueue<>();
    private final StringBuilder text = new StringBuilder();
    private final ByteArrayOutputStream binary = new ByteArrayOutputStream();
    private final WebSocket ws;

    Client(String url) throws Exception {
        ws = HttpClient.newHttpClient().newWebSocketBuilder().buildAsync(URI.create(url), this).get(20, TimeUnit.SECONDS);
    }

    @Override
    public CompletionStage<?> onText(WebSocket ws, CharSequence part, boolean last) {
        text.append(part);
        if (last) {
            heard.add(text.toString());
            text.setLength(0);
        }
        ws.request(1);
        return null;
    }

    @Override
    public CompletionStage<?> onBinary(WebSocket ws, ByteBuffer part, boolean last) {
        byte[] bytes = new byte[part.remaining()];
        part.get(bytes);
        binary.writeBytes(bytes);
        if (last) {
            heard.add(binary.toByteArray());
            binary.reset();
        }
        ws.request(1);
        return null;
    }

    @Override
    public CompletionStage<?> onPong(WebSocket ws, ByteBuffer payload) {
        heard.add("pong of " + payload.remaining());
        ws.request(1);
        return null;
    }

    @Override
    public CompletionStage<?> onClose(WebSocket ws, int code, String reason) {
        heard.add("closed " + code + " " + reason);
        return null;
    }

    @Override
    public void onError(WebSocket ws, Throwable error) {
        heard.add(error);
    }

    private void expect(Object want) throws Exception {
        Object got = heard.poll(20, TimeUnit.SECONDS);
        boolean same = want instanceof byte[] w ? got instanceof byte[] g && Arrays.equals(w, g) : want.equals(got);
        if (!same) {
            throw new AssertionError("heard " + got + ", want " + want);
        }
    }

    private void messages() throws Exception {
        ws.sendText("grüße 👋", true).join();
        expect("grüße 👋");
        byte[] bytes = new byte[70_000];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) (i * 7919 >> 5);
        }
        ws.sendBinary(ByteBuffer.wrap(bytes), true).join();
        expect(bytes);
        ws.sendText("frag", false).join();
        ws.sendText("ments ", false).join();
        ws.sendText("ü".repeat(5000), true).join();
        expect("fragments " + "ü".repeat(5000));
        ws.sendText("/fragments", true).join();
        expect("f".repeat(70_000));
        ws.sendPing(ByteBuffer.allocate(100)).join();
        expect("pong of 100");
        ws.sendText("/ping", true).join();
        expect("answered");
    }

    public static void main(String[] args) throws Exception {
        Client first = new Client(args[0]);
        first.messages();
        first.ws.sendClose(4001, "bye").join();
        first.expect("closed 4001 ");
        Client second = new Client(args[0]);
        second.ws.sendText("/close 4002 wegen Ü", true).join();
        second.expect("closed 4002 wegen Ü");
        System.exit(0);
    }
}
