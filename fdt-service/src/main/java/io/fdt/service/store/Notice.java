package io.fdt.service.store;

import java.util.List;
import java.util.stream.Stream;

/** Kinds of notices to users, by e-mail and by webhook. */
public enum Notice {
  /** A task has ended, in any state. */
  END,
  /** A task has had its first fault, and is tried again. */
  FAULT,
  /** A task has failed because its deadline has passed. */
  DEADLINE,
  /** Asks whether an address belongs to the user; by e-mail only. */
  CONFIRM;

  /** The kinds that a user can choose. */
  public static List<Notice> ofTasks() {
    return Stream.of(values()).filter(notice -> notice != CONFIRM).toList();
  }
}
