package io.fdt.service.web.http;

import io.fdt.service.value.Fault;
import io.fdt.service.value.ServiceException;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongPredicate;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Invocable;
import org.eclipse.jetty.util.thread.Scheduler;

/**
 * The body of one request: read whole, or read and dropped after a refusal. No thread waits for its
 * bytes. Any thread.
 *
 * <p>A server that closes a connection while bytes arrive resets it, and the client may lose the
 * answer. So a refusal is followed by a graceful close, which holds no thread:
 *
 * <pre>
 * answer written --> the body is read and dropped --> its end: the request is complete
 *                     |
 *                     '-- 5 s or no budget left --> half-closed: the client sees the end
 *                                                    |
 *                                                    '-- 2 s --> closed
 * </pre>
 */
final class RequestBody implements Invocable.Task {
  private static final int SECONDS = 5;

  /** From the half-close to the close: time to read the answer. */
  private static final int LINGER_SECONDS = 2;

  private enum Phase {
    /** Not being read. */
    IDLE,
    /** Bytes are kept for {@link #read}. */
    KEEPING,
    /** Bytes are dropped. */
    DROPPING,
    /** No more bytes will be read. */
    ENDED
  }

  private final Request request;
  private final LongPredicate mayDrop;
  private final CompletableFuture<String> text = new CompletableFuture<>();
  private final ByteArrayOutputStream kept = new ByteArrayOutputStream();
  private Phase phase = Phase.IDLE;
  private boolean hasBegun;
  private boolean isDemanding;

  /** The callback of a refused request, until it is complete. */
  private Callback refused;

  private Scheduler.Task deadline;
  private int most;

  /**
   * The body of a request.
   *
   * @param mayDrop takes bytes from the budget for dropped ones; false when it is empty
   */
  RequestBody(Request request, LongPredicate mayDrop) {
    this.request = request;
    this.mayDrop = mayDrop;
  }

  /**
   * The whole body. Completes at once without a body, otherwise on a thread that must not block.
   * Called once.
   *
   * @param mostBytes the limit; longer bodies are refused
   * @return fails only with a {@link ServiceException}
   */
  CompletableFuture<String> read(int mostBytes) {
    if (request.getLength() > mostBytes) {
      text.completeExceptionally(tooLarge(mostBytes));
      return text;
    }
    synchronized (this) {
      most = mostBytes;
    }
    begin(Phase.KEEPING);
    synchronized (this) {
      if (phase == Phase.KEEPING) {
        deadline = after(SECONDS, () -> stop("the body did not arrive within " + SECONDS + " s"));
      }
    }
    return text;
  }

  /** Stops waiting for a body. */
  void stop(String why) {
    synchronized (this) {
      if (phase != Phase.KEEPING) {
        return;
      }
      phase = Phase.IDLE;
      cancelDeadline();
    }
    text.completeExceptionally(Fault.SLOW.of(why));
  }

  private static ServiceException tooLarge(int most) {
    return Fault.TOO_LARGE.of("this request has at most %d bytes".formatted(most));
  }

  /** Drops the rest of the body after a refusal, then completes. */
  Callback dropping(Callback callback) {
    return Callback.from(() -> drop(callback), callback::failed);
  }

  private void drop(Callback callback) {
    synchronized (this) {
      refused = callback;
      if (!hasBegun && "100-continue".equalsIgnoreCase(request.getHeaders().get("Expect"))) {
        phase = Phase.ENDED; // such a client sends no body after a refusal
      }
      if (phase == Phase.IDLE) {
        deadline = after(SECONDS, this::halfClose);
      }
    }
    begin(Phase.DROPPING);
  }

  private void cancelDeadline() {
    if (deadline != null) {
      deadline.cancel();
    }
  }

  private Scheduler.Task after(int seconds, Runnable work) {
    return request.getComponents().getScheduler().schedule(work, seconds, TimeUnit.SECONDS);
  }

  private void begin(Phase next) {
    synchronized (this) {
      hasBegun = true;
      if (phase == Phase.IDLE) {
        phase = next;
      }
      if (isDemanding) {
        return; // run() comes with the next bytes
      }
    }
    run();
  }

  /** Reads the available bytes. Jetty calls this when there are more. */
  @Override
  public void run() {
    Callback done;
    synchronized (this) {
      isDemanding = false;
      while (phase == Phase.KEEPING || phase == Phase.DROPPING) {
        Content.Chunk chunk = request.read();
        if (chunk == null) {
          isDemanding = true;
          request.demand(this);
          return;
        }
        take(chunk);
        chunk.release();
      }
      if (phase != Phase.ENDED || refused == null) {
        return;
      }
      done = refused;
      refused = null;
      cancelDeadline();
    }
    done.succeeded();
  }

  @Override
  public InvocationType getInvocationType() {
    return InvocationType.NON_BLOCKING;
  }

  private void take(Content.Chunk chunk) {
    boolean isFailure = Content.Chunk.isFailure(chunk);
    boolean isEnd = isFailure || chunk.isLast();
    if (phase == Phase.DROPPING) {
      if (!isEnd && !mayDrop.test(chunk.remaining())) {
        halfClose();
      }
    } else if (isFailure) {
      text.completeExceptionally(Fault.INVALID.of("the body did not arrive"));
    } else if (kept.size() + chunk.remaining() > most) {
      phase = Phase.IDLE;
      text.completeExceptionally(tooLarge(most));
    } else {
      byte[] bytes = new byte[chunk.remaining()];
      chunk.getByteBuffer().get(bytes);
      kept.writeBytes(bytes);
      if (isEnd) {
        cancelDeadline();
        complete();
      }
    }
    if (isEnd) {
      phase = Phase.ENDED;
    }
  }

  private void complete() {
    try {
      byte[] bytes = kept.toByteArray();
      text.complete(StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString());
    } catch (CharacterCodingException e) {
      text.completeExceptionally(Fault.INVALID.of("the body is not UTF-8"));
    }
  }

  /** Stops reading, and shows the client that nothing follows the answer. */
  private synchronized void halfClose() {
    if (refused == null || phase != Phase.DROPPING) {
      return;
    }
    phase = Phase.IDLE;
    deadline.cancel();
    deadline = after(LINGER_SECONDS, this::close);
    request.getConnectionMetaData().getConnection().getEndPoint().shutdownOutput();
  }

  private synchronized void close() {
    phase = Phase.ENDED;
    if (isDemanding) {
      request.fail(new TimeoutException("the rest of a refused body")); // has run() called
    } else {
      run();
    }
  }
}
