package io.fdt.nio.server;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Idle objects for reuse, the last used one on top, so that surplus ones expire at the bottom.
 * Pure; time is an argument. Not thread-safe.
 */
public final class IdleStack<T> {
  private record Idle<T>(T thing, long sinceNanos) {}

  private final long lifetimeNanos;
  private final Deque<Idle<T>> things = new ArrayDeque<>();

  /**
   * @param lifetime the longest time without use
   */
  public IdleStack(Duration lifetime) {
    this.lifetimeNanos = lifetime.toNanos();
  }

  public void push(T thing, long nowNanos) {
    things.push(new Idle<>(thing, nowNanos));
  }

  /** Removes the last used one; null if empty. */
  public T pop() {
    Idle<T> idle = things.poll();
    return idle == null ? null : idle.thing();
  }

  /** Removes the expired ones. */
  public List<T> expired(long nowNanos) {
    List<T> expired = new ArrayList<>();
    while (!things.isEmpty() && nowNanos - things.peekLast().sinceNanos() >= lifetimeNanos) {
      expired.add(things.pollLast().thing());
    }
    return expired;
  }

  /** Removes all. */
  List<T> all() {
    List<T> all = things.stream().map(Idle::thing).toList();
    things.clear();
    return all;
  }

  int size() {
    return things.size();
  }
}
