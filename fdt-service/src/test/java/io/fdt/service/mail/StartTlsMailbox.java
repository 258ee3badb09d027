package io.fdt.service.mail;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

/**
 * A mail server that knows STARTTLS, or does not, wants a password, and writes down all that it
 * hears: also what came before TLS.
 */
final class StartTlsMailbox implements AutoCloseable {
  static final String USER = "fdt";
  static final String PASSWORD = "correct horse";
  private static final char[] STORE_PASSWORD = "changeit".toCharArray();

  private final ServerSocket server;
  private final SSLContext context;
  private final boolean offersTls;
  private final Path certificate;
  final List<String> heardInTheClear = new CopyOnWriteArrayList<>();
  final List<String> mails = new CopyOnWriteArrayList<>();

  StartTlsMailbox(Path root, boolean offersTls) throws Exception {
    this.offersTls = offersTls;
    Path file = root.resolve("keys.p12");
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                "x",
                "-keyalg",
                "EC",
                "-storetype",
                "PKCS12",
                "-keystore",
                file.toString(),
                "-storepass",
                new String(STORE_PASSWORD),
                "-dname",
                "CN=localhost",
                "-ext",
                "SAN=dns:localhost",
                "-validity",
                "30")
            .redirectErrorStream(true)
            .redirectOutput(root.resolve("keytool.out").toFile())
            .start();
    if (!keytool.waitFor(60, TimeUnit.SECONDS) || keytool.exitValue() != 0) {
      throw new IOException(Files.readString(root.resolve("keytool.out")));
    }
    KeyStore store = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(file)) {
      store.load(in, STORE_PASSWORD);
    }
    String pem =
        "-----BEGIN CERTIFICATE-----\n"
            + Base64.getMimeEncoder().encodeToString(store.getCertificate("x").getEncoded())
            + "\n-----END CERTIFICATE-----\n";
    certificate = Files.writeString(root.resolve("ca.pem"), pem);
    KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(store, STORE_PASSWORD);
    context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), null, null);
    server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
    Thread thread = new Thread(this::accept, "mailbox");
    thread.setDaemon(true);
    thread.start();
  }

  int port() {
    return server.getLocalPort();
  }

  /** The certificate that it shows. */
  Path certificate() {
    return certificate;
  }

  private void accept() {
    while (!server.isClosed()) {
      try (Socket socket = server.accept()) {
        socket.setSoTimeout(20_000);
        say(socket, "220 localhost");
        talk(socket, false);
      } catch (IOException e) {
        heardInTheClear.add("(ended: " + e.getClass().getSimpleName() + ")");
      }
    }
  }

  private static void say(Socket socket, String line) throws IOException {
    OutputStream out = socket.getOutputStream();
    out.write((line + "\r\n").getBytes(StandardCharsets.US_ASCII));
    out.flush();
  }

  private void talk(Socket socket, boolean isTls) throws IOException {
    BufferedReader in =
        new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
    boolean isKnown = false;
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      if (!isTls) {
        heardInTheClear.add(line);
      }
      if (line.startsWith("EHLO")) {
        say(socket, "250-localhost");
        if (offersTls && !isTls) {
          say(socket, "250-STARTTLS");
        }
        say(socket, "250 AUTH PLAIN");
      } else if (line.equals("STARTTLS") && offersTls) {
        say(socket, "220 go");
        SSLSocket secure =
            (SSLSocket) context.getSocketFactory().createSocket(socket, null, 0, false);
        secure.setUseClientMode(false);
        secure.startHandshake();
        talk(secure, true);
        return;
      } else if (line.startsWith("AUTH PLAIN ")) {
        String given =
            new String(Base64.getDecoder().decode(line.substring(11)), StandardCharsets.UTF_8);
        isKnown = given.endsWith("\0" + USER + "\0" + PASSWORD);
        say(socket, isKnown ? "235 ok" : "535 no");
      } else if (line.startsWith("RCPT TO:<nobody@")) {
        say(socket, "550 no such mailbox");
      } else if (line.equals("DATA") && isKnown) {
        say(socket, "354 go");
        StringBuilder mail = new StringBuilder();
        for (String next = in.readLine(); !next.equals("."); next = in.readLine()) {
          mail.append(next).append('\n');
        }
        mails.add(mail.toString());
        say(socket, "250 ok");
      } else if (line.equals("QUIT")) {
        say(socket, "221 bye");
        return;
      } else {
        say(socket, isKnown || line.equals("RSET") ? "250 ok" : "530 who are you?");
      }
    }
  }

  @Override
  public void close() throws IOException {
    server.close();
  }
}
