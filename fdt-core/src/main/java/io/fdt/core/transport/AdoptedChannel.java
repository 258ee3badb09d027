package io.fdt.core.transport;

import io.netty.channel.AbstractChannel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.DuplexChannel;
import java.net.SocketAddress;

/**
 * A channel that is bound and connected from the start, has no file descriptor, and closes both
 * directions together.
 */
public abstract class AdoptedChannel extends AbstractChannel implements DuplexChannel {
  private static final ChannelMetadata METADATA = new ChannelMetadata(false, 32);

  protected AdoptedChannel() {
    super(null);
  }

  @Override
  protected AbstractUnsafe newUnsafe() {
    return new AbstractUnsafe() {
      @Override
      public void connect(SocketAddress remote, SocketAddress local, ChannelPromise promise) {
        promise.setFailure(new UnsupportedOperationException("the channel is already connected"));
      }
    };
  }

  @Override
  protected void doRegister(ChannelPromise promise) {
    promise.setSuccess(); // it has no descriptor
  }

  @Override
  protected void doBind(SocketAddress local) {
    throw new UnsupportedOperationException("the channel is already bound");
  }

  @Override
  protected void doDisconnect() throws Exception {
    doClose();
  }

  @Override
  public boolean isActive() {
    return isOpen();
  }

  @Override
  public ChannelMetadata metadata() {
    return METADATA;
  }

  // Never half-closed: the peer closes the connection soon after its last bytes.

  @Override
  public boolean isInputShutdown() {
    return !isOpen();
  }

  @Override
  public boolean isOutputShutdown() {
    return !isOpen();
  }

  @Override
  public boolean isShutdown() {
    return !isOpen();
  }

  @Override
  public ChannelFuture shutdownInput() {
    return newSucceededFuture();
  }

  @Override
  public ChannelFuture shutdownInput(ChannelPromise promise) {
    return promise.setSuccess();
  }

  @Override
  public ChannelFuture shutdownOutput() {
    return newSucceededFuture();
  }

  @Override
  public ChannelFuture shutdownOutput(ChannelPromise promise) {
    return promise.setSuccess();
  }

  @Override
  public ChannelFuture shutdown() {
    return close();
  }

  @Override
  public ChannelFuture shutdown(ChannelPromise promise) {
    return close(promise);
  }
}
