package io.fdt.service.web;

import io.fdt.service.value.Fault;
import io.fdt.service.value.ServiceException;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongPredicate;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Invocable;
import org.eclipse.jetty.util.thread.Scheduler;

/**
 * The body of one request: read whole, or read and dropped after a refusal. Any thread.
 *
 * <p>A server that closes a connection while bytes arrive resets it, and the client may lose the
 * answer. So a refusal is followed by an orderly end, which holds no thread:
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
  private static final int MOST = 1 << 20;
  private static final int SECONDS = 5;

  /** From the half-close to the close: time to read the answer. */
  private static final int LINGER_SECONDS = 2;

  private enum Phase {
    /** Nobody reads. */
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
  private final CompletableFuture<byte[]> whole = new CompletableFuture<>();
  private final ByteArrayOutputStream kept = new ByteArrayOutputStream();
  private Phase phase = Phase.IDLE;
  private boolean hasBegun;
  private boolean isDemanding;

  /** Of a request that was refused, until it is complete. */
  private Callback refused;

  private Scheduler.Task deadline;

  /**
   * The body of a request.
   *
   * @param mayDrop takes so many bytes out of the budget for dropped ones; false when none is left
   */
  RequestBody(Request request, LongPredicate mayDrop) {
    this.request = request;
    this.mayDrop = mayDrop;
  }

  /** The whole body; a client that sends it byte by byte does not hold a thread for long. */
  String read() throws ServiceException, InterruptedException {
    if (request.getLength() > MOST) {
      throw tooLarge();
    }
    begin(Phase.KEEPING);
    try {
      byte[] bytes = whole.get(SECONDS, TimeUnit.SECONDS);
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      throw new ServiceException(Fault.INVALID, "the body is not UTF-8");
    } catch (TimeoutException e) {
      pause();
      throw new ServiceException(Fault.SLOW, "the body did not arrive within " + SECONDS + " s");
    } catch (ExecutionException e) {
      if (e.getCause() instanceof ServiceException refusal) {
        throw refusal;
      }
      throw new ServiceException(Fault.INVALID, "the body did not arrive");
    }
  }

  private static ServiceException tooLarge() {
    return new ServiceException(Fault.TOO_LARGE, "a request has at most %d bytes".formatted(MOST));
  }

  private synchronized void pause() {
    if (phase == Phase.KEEPING) {
      phase = Phase.IDLE;
    }
  }

  /** What follows the answer of a refusal: drops the rest of the body, then completes. */
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

  /** Reads what is there. Jetty calls it when there is more. */
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
      if (deadline != null) {
        deadline.cancel();
      }
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
      whole.completeExceptionally(chunk.getFailure());
    } else if (kept.size() + chunk.remaining() > MOST) {
      phase = Phase.IDLE;
      whole.completeExceptionally(tooLarge());
    } else {
      byte[] bytes = new byte[chunk.remaining()];
      chunk.getByteBuffer().get(bytes);
      kept.writeBytes(bytes);
      if (isEnd) {
        whole.complete(kept.toByteArray());
      }
    }
    if (isEnd) {
      phase = Phase.ENDED;
    }
  }

  /** Reads no more, and tells the client that nothing follows the answer. */
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
