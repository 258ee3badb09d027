package io.fdt.service.web;

import io.fdt.service.value.Fault;
import io.fdt.service.value.ServiceException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.Promise;
import org.eclipse.jetty.util.thread.Invocable;
import org.eclipse.jetty.util.thread.Scheduler;

/** The body of a request: read whole, or read and dropped after a refusal. Any thread. */
final class RequestBody {
  private static final int MOST = 1 << 20;

  /** Most bytes that are dropped after a refusal. Cost: reading them, and no memory. */
  private static final long MOST_DROPPED = 64 << 20;

  private static final int SECONDS = 5;

  private RequestBody() {}

  /** The whole body; whoever sends it byte by byte does not hold a thread for long. */
  static String read(Request request) throws ServiceException, InterruptedException {
    if (request.getLength() > MOST) {
      throw tooLarge();
    }
    try {
      CompletableFuture<byte[]> whole = new CompletableFuture<>();
      Content.Source.asByteArrayAsync(
          request,
          MOST,
          Promise.Invocable.from(
              Invocable.InvocationType.NON_BLOCKING,
              whole::complete,
              whole::completeExceptionally));
      byte[] bytes = whole.get(SECONDS, TimeUnit.SECONDS);
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      throw new ServiceException(Fault.INVALID, "the body is not UTF-8");
    } catch (TimeoutException e) {
      request.fail(e); // what comes later is not waited for
      throw new ServiceException(Fault.SLOW, "the body did not arrive within " + SECONDS + " s");
    } catch (ExecutionException e) {
      if (e.getCause() instanceof IllegalStateException) {
        throw tooLarge();
      }
      throw new ServiceException(Fault.INVALID, "the body did not arrive");
    }
  }

  private static ServiceException tooLarge() {
    return new ServiceException(Fault.TOO_LARGE, "a request has at most %d bytes".formatted(MOST));
  }

  /**
   * What follows a refusal: reads the rest of the body and drops it, then completes the request. A
   * server that closes a connection while bytes arrive resets it, and the client loses the answer.
   * Holds no thread; ends after 64 MiB or 5 s.
   */
  static Callback dropped(Request request, Callback callback) {
    boolean isAnnounced = "100-continue".equalsIgnoreCase(request.getHeaders().get("Expect"));
    return isAnnounced // such a client sends no body after a refusal
        ? callback
        : Callback.from(new Drop(request, callback)::begin, callback::failed);
  }

  private static final class Drop implements Runnable {
    private final Request request;
    private final Callback callback;
    private Scheduler.Task deadline;
    private long bytes;

    Drop(Request request, Callback callback) {
      this.request = request;
      this.callback = callback;
    }

    void begin() {
      deadline =
          request
              .getComponents()
              .getScheduler()
              .schedule(
                  () -> request.fail(new TimeoutException("the rest of a refused body")),
                  SECONDS,
                  TimeUnit.SECONDS);
      run();
    }

    @Override
    public void run() {
      while (bytes <= MOST_DROPPED) {
        Content.Chunk chunk = request.read();
        if (chunk == null) {
          request.demand(this);
          return;
        }
        bytes += chunk.remaining();
        boolean isEnd = chunk.isLast() || Content.Chunk.isFailure(chunk);
        chunk.release();
        if (isEnd) {
          break;
        }
      }
      deadline.cancel();
      callback.succeeded();
    }
  }
}
