package io.fdt.core.transport;

import io.netty.channel.AbstractChannel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.DuplexChannel;
import java.net.SocketAddress;

/**
 * A channel that is bound and connected when it is made, has no descriptor, and closes both
 * directions or none.
 */
public abstract class MadeChannel extends AbstractChannel implements DuplexChannel {
  private static final ChannelMetadata METADATA = new ChannelMetadata(false, 32);

  protected MadeChannel() {
    super(null);
  }

  @Override
  protected AbstractUnsafe newUnsafe() {
    return new AbstractUnsafe() {
      @Override
      public void connect(SocketAddress remote, SocketAddress local, ChannelPromise promise) {
        promise.setFailure(new UnsupportedOperationException("it is connected when it is made"));
      }
    };
  }

  @Override
  protected void doRegister(ChannelPromise promise) {
    promise.setSuccess(); // it has no descriptor of its own
  }

  @Override
  protected void doBind(SocketAddress local) {
    throw new UnsupportedOperationException("it is bound when it is made");
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

  // It closes both directions or none: who has said the last word closes it soon.

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
