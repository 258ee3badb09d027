package io.fdt.client;

import io.fdt.client.directed.DirectedEnd;
import io.fdt.client.directed.Director;
import io.fdt.client.directed.RemoteSessions;
import io.fdt.client.directed.RunFollower;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.wire.control.RunDescription;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * A transfer between two servers that was started earlier, by this or another client. Closing it
 * detaches this client; the transfer continues. Any thread.
 */
public final class AttachedTransfer implements Transfer {
  private final DirectedEnd end;
  private final String digits;
  private final RunFollower follower;
  private final CompletableFuture<RemoteSession> session = new CompletableFuture<>();
  private final CompletableFuture<TransferReport> completion = new CompletableFuture<>();
  private final Thread thread = new Thread(this::run, "fdt-attached");

  // Guarded by this.
  private boolean attached;
  private boolean cancelled;

  AttachedTransfer(DirectedEnd end, String digits, TransferListener listener, Duration patience) {
    this.end = end;
    this.digits = digits;
    this.follower = new RunFollower(end, listener, patience);
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  private void run() {
    FdtException failure;
    try {
      failure = follow();
    } catch (FdtException e) {
      failure = e;
    } catch (InterruptedException e) {
      failure = new FdtException(ErrorCode.CANCELLED, "the client has detached", e);
    } catch (RuntimeException | Error e) { // any failure must reach the waiting thread
      failure = FdtException.unforeseen("cannot follow the transfer", e);
    }
    session.completeExceptionally(failure == null ? new IllegalStateException() : failure);
    completion.complete(follower.report(failure));
  }

  private FdtException follow() throws FdtException, InterruptedException {
    Director server = Director.open(end);
    RunDescription what;
    try {
      what = follower.attach(server, digits);
      session.complete(RemoteSessions.of(what));
    } catch (FdtException | InterruptedException | RuntimeException e) {
      server.close();
      throw e;
    }
    synchronized (this) {
      attached = true;
      if (cancelled) {
        follower.cancel();
      }
    }
    return follower.follow(server, () -> {});
  }

  /**
   * The description of the transfer, once known; completes exceptionally when there is no such
   * transfer.
   */
  public CompletableFuture<RemoteSession> session() {
    return session;
  }

  /** Whether the transfer ended because a server was restarted: the same copy resumes it. */
  public boolean isLost() {
    return follower.isLost();
  }

  @Override
  public TransferProgress progress() {
    return follower.progress();
  }

  @Override
  public CompletableFuture<TransferReport> completion() {
    return completion;
  }

  /** Ends the transfer at both servers. */
  @Override
  public synchronized void cancel() {
    cancelled = true;
    if (attached) {
      follower.cancel();
    }
  }

  /** Detaches from the transfer. */
  @Override
  public void close() {
    thread.interrupt();
    completion.join();
  }
}
