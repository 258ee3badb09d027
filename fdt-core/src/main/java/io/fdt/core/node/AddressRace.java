package io.fdt.core.node;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.netty.channel.EventLoop;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Tries the addresses of a host until one answers, each 250 ms after the previous one, or at once
 * when that has failed (RFC 8305, "Happy Eyeballs"). A dead address costs 250 ms, not a whole
 * connect timeout.
 *
 * <p>Confined to one event loop; {@link #run} may be called on any thread.
 */
final class AddressRace<T> {
  /** RFC 8305's "Connection Attempt Delay". */
  static final Duration APART = Duration.ofMillis(250);

  /** Errors that may differ between the addresses of a host. */
  private static final Set<ErrorCode> MAY_DIFFER =
      EnumSet.of(ErrorCode.UNREACHABLE, ErrorCode.TIMEOUT);

  /** The result for the first address that answered. */
  record Won<T>(InetSocketAddress address, T value) {}

  private final EventLoop loop;
  private final List<InetSocketAddress> addresses;
  private final Function<InetSocketAddress, CompletableFuture<T>> attempt;
  private final Consumer<T> drop;
  private final CompletableFuture<Won<T>> result = new CompletableFuture<>();
  private int begun;
  private int running;
  private boolean isOver;
  private FdtException failure;
  private Future<?> timer;

  private AddressRace(
      EventLoop loop,
      List<InetSocketAddress> addresses,
      Function<InetSocketAddress, CompletableFuture<T>> attempt,
      Consumer<T> drop) {
    this.loop = loop;
    this.addresses = alternating(addresses);
    this.attempt = attempt;
    this.drop = drop;
  }

  /**
   * Starts the race.
   *
   * @param addresses one or more, the best first
   * @param attempt tries one of them; on the event loop
   * @param drop closes a result after another address has won, or after a cancellation
   * @return fails with the first failure, or with one that holds for all addresses; an attempt in
   *     progress may still win
   */
  static <T> CompletableFuture<Won<T>> run(
      EventLoop loop,
      List<InetSocketAddress> addresses,
      Function<InetSocketAddress, CompletableFuture<T>> attempt,
      Consumer<T> drop) {
    AddressRace<T> race = new AddressRace<>(loop, addresses, attempt, drop);
    try {
      loop.execute(race::beginNext);
    } catch (RejectedExecutionException e) { // the client or server was closed
      race.result.completeExceptionally(
          new FdtException(ErrorCode.CANCELLED, "the connection attempt was cancelled", e));
    }
    return race.result;
  }

  /** The same addresses; IPv4 and IPv6 in turn, starting with the family of the first. */
  static List<InetSocketAddress> alternating(List<InetSocketAddress> addresses) {
    Class<? extends InetAddress> family = addresses.get(0).getAddress().getClass();
    List<InetSocketAddress> first = new ArrayList<>();
    List<InetSocketAddress> second = new ArrayList<>();
    for (InetSocketAddress address : addresses) {
      (address.getAddress().getClass().equals(family) ? first : second).add(address);
    }
    List<InetSocketAddress> mixed = new ArrayList<>();
    for (int i = 0; i < Math.max(first.size(), second.size()); i++) {
      if (i < first.size()) {
        mixed.add(first.get(i));
      }
      if (i < second.size()) {
        mixed.add(second.get(i));
      }
    }
    return List.copyOf(mixed);
  }

  private void beginNext() {
    if (timer != null) {
      timer.cancel(false);
    }
    if (isOver || result.isDone() || begun == addresses.size()) {
      return;
    }
    InetSocketAddress address = addresses.get(begun++);
    running++;
    if (begun < addresses.size()) {
      timer = loop.schedule(this::beginNext, APART.toMillis(), TimeUnit.MILLISECONDS);
    }
    CompletableFuture<T> one;
    try {
      one = attempt.apply(address);
    } catch (RuntimeException | Error e) { // out of memory
      one = CompletableFuture.failedFuture(e);
    }
    one.whenComplete((value, cause) -> ended(address, value, cause));
  }

  private void ended(InetSocketAddress address, T value, Throwable cause) {
    if (cause == null) {
      if (!result.complete(new Won<>(address, value))) {
        drop.accept(value);
      }
      return;
    }
    try {
      loop.execute(() -> failed(cause));
    } catch (RejectedExecutionException e) { // the client or server was closed
      result.completeExceptionally(cause);
    }
  }

  private void failed(Throwable cause) {
    FdtException known =
        Dialer.asFdtException(
            cause instanceof CompletionException && cause.getCause() != null
                ? cause.getCause()
                : cause);
    boolean holdsForAll = !MAY_DIFFER.contains(known.code());
    if (failure == null || (holdsForAll && !isOver)) {
      failure = known;
    }
    isOver |= holdsForAll;
    running--;
    beginNext();
    if (running == 0) {
      result.completeExceptionally(failure);
    }
  }
}
