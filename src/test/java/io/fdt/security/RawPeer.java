package io.fdt.security;

import com.google.protobuf.ByteString;
import io.fdt.core.security.Identity;
import io.fdt.core.wire.Preface;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.Hello;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;

/**
 * A client written against the protocol's page and not with FDT's code, which says whatever a test
 * wants. One thread.
 */
final class RawPeer implements AutoCloseable {
  static final int CONTROL = 1;
  static final int DATA = 2;

  /** A flag of the preface: whoever dials shows a certificate. */
  static final int IDENTIFIED = 2;

  static final byte[] MAGIC = {(byte) 0x89, 'F', 'D', 'T', '\r', '\n', 0x1a, '\n'};
  private static final int TIMEOUT_MILLIS = 30_000;

  private Socket socket;

  private RawPeer(Socket socket) {
    this.socket = socket;
  }

  /** A connection on which nothing was said. */
  static RawPeer connect(InetSocketAddress server) throws IOException {
    Socket socket = new Socket();
    socket.connect(server, TIMEOUT_MILLIS);
    socket.setSoTimeout(TIMEOUT_MILLIS);
    return new RawPeer(socket);
  }

  /** A control connection after its TLS handshake. */
  static RawPeer control(InetSocketAddress server) throws IOException {
    RawPeer peer = connect(server);
    peer.write(preface(Preface.VERSION, CONTROL, 0));
    peer.secure("TLSv1.3", "fdt-control/1");
    return peer;
  }

  /** The same of somebody who dials as a server, and shows this identity. */
  static RawPeer identified(InetSocketAddress server, Identity identity) throws IOException {
    RawPeer peer = connect(server);
    peer.write(preface(Preface.VERSION, CONTROL, IDENTIFIED));
    peer.secure("TLSv1.3", "fdt-control/1", keys(identity));
    return peer;
  }

  private static KeyManager[] keys(Identity identity) throws IOException {
    try {
      KeyStore store = KeyStore.getInstance("PKCS12");
      store.load(null, null);
      store.setKeyEntry(
          "own", identity.key(), new char[0], identity.chain().toArray(X509Certificate[]::new));
      KeyManagerFactory factory = KeyManagerFactory.getInstance("PKIX");
      factory.init(store, new char[0]);
      return factory.getKeyManagers();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The same, after a hello with this token. */
  static RawPeer greeted(InetSocketAddress server, String token) throws IOException {
    RawPeer peer = control(server);
    peer.send(hello(token));
    return peer;
  }

  /** The hello of a server with a ticket. */
  static Control ticket(ByteString ticket) {
    return Control.newBuilder().setHello(Hello.newBuilder().setTicket(ticket)).build();
  }

  static Control hello(String token) {
    return Control.newBuilder()
        .setHello(Hello.newBuilder().setSoftware("raw").setToken(token))
        .build();
  }

  static byte[] preface(int version, int kind, int flags) {
    return ByteBuffer.allocate(16)
        .put(MAGIC)
        .putShort((short) version)
        .put((byte) kind)
        .put((byte) flags)
        .array();
  }

  /** Reads the server's preface and puts TLS on the connection. */
  void secure(String version, String protocol) throws IOException {
    secure(version, protocol, null);
  }

  private void secure(String version, String protocol, KeyManager[] keys) throws IOException {
    read(16);
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(keys, new TrustManager[] {new TrustsAll()}, null);
      SSLSocket tls =
          (SSLSocket) context.getSocketFactory().createSocket(socket, "localhost", 1, true);
      SSLParameters parameters = tls.getSSLParameters();
      parameters.setProtocols(new String[] {version});
      if (protocol != null) {
        parameters.setApplicationProtocols(new String[] {protocol});
      }
      tls.setSSLParameters(parameters);
      socket = tls;
      tls.startHandshake();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  void write(byte[] bytes) throws IOException {
    socket.getOutputStream().write(bytes);
    socket.getOutputStream().flush();
  }

  void send(Control message) throws IOException {
    ByteBuffer framed = ByteBuffer.allocate(4 + message.getSerializedSize());
    framed.putInt(message.getSerializedSize()).put(message.toByteArray());
    new DataOutputStream(socket.getOutputStream()).write(framed.array());
  }

  /** The next message of the server. */
  Control receive() throws IOException {
    DataInputStream in = new DataInputStream(socket.getInputStream());
    byte[] message = new byte[in.readInt()];
    in.readFully(message);
    return Control.parseFrom(message);
  }

  /** The next message that is no ping. */
  Control receiveAnswer() throws IOException {
    Control message = receive();
    while (message.hasPing() || message.hasWelcome()) {
      message = receive();
    }
    return message;
  }

  byte[] read(int length) throws IOException {
    return socket.getInputStream().readNBytes(length);
  }

  /** Whatever else the server says before it closes; empty also when it resets the connection. */
  byte[] readUntilClosed() {
    try {
      return socket.getInputStream().readAllBytes();
    } catch (java.net.SocketTimeoutException e) {
      throw new AssertionError("the server keeps the connection open", e);
    } catch (IOException e) {
      return new byte[0];
    }
  }

  /** Whether the server keeps the connection open; what it has said is read. */
  boolean isOpen() throws IOException {
    socket.setSoTimeout(1);
    try {
      socket.getInputStream().transferTo(OutputStream.nullOutputStream());
      return false;
    } catch (java.net.SocketTimeoutException e) {
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }

  /** These tests are about what the server checks. */
  private static final class TrustsAll implements X509TrustManager {
    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) {}

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }
}
