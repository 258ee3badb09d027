package io.fdt.spark;

import java.io.Serializable;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * Sums over the files of units. Immutable. A class with fields, so that every serializer of Spark
 * can carry it.
 */
final class UnitFigures implements Serializable {
  private static final long serialVersionUID = 1;

  /** The most messages of failed files, for a user without a report. */
  static final int MOST_MESSAGES = 10;

  static final UnitFigures NONE = new UnitFigures(0, 0, 0, 0, 0, 0, 0, 0, new String[0]);

  /** The status of successful units, and without units. */
  private static final int OK = 0;

  /** The status of units with different failures. */
  private static final int MIXED = 1;

  private final long done;
  private final long unchanged;
  private final long due;
  private final long failed;
  private final long deleted;
  private final long bytesMoved;
  private final long bytesKept;
  private final int exitStatus;
  private final String[] messages;

  private UnitFigures(
      long done,
      long unchanged,
      long due,
      long failed,
      long deleted,
      long bytesMoved,
      long bytesKept,
      int exitStatus,
      String[] messages) {
    this.done = done;
    this.unchanged = unchanged;
    this.due = due;
    this.failed = failed;
    this.deleted = deleted;
    this.bytesMoved = bytesMoved;
    this.bytesKept = bytesKept;
    this.exitStatus = exitStatus;
    this.messages = messages;
  }

  /**
   * The figures of one unit.
   *
   * @param bytesMoved sent in all attempts
   * @param bytesKept resumed from journals
   */
  static UnitFigures of(List<FileRow> files, long bytesMoved, long bytesKept, int exitStatus) {
    return new UnitFigures(
        count(files, FileRow.DONE),
        count(files, FileRow.UNCHANGED),
        count(files, FileRow.DUE),
        count(files, FileRow.FAILED),
        count(files, FileRow.DELETED),
        bytesMoved,
        bytesKept,
        exitStatus,
        files.stream()
            .filter(file -> file.fate().equals(FileRow.FAILED))
            .limit(MOST_MESSAGES)
            .map(FileRow::message)
            .toArray(String[]::new));
  }

  /** The figures of a failed listing without a last step. */
  static UnitFigures ofFailedListing() {
    return new UnitFigures(0, 0, 0, 0, 0, 0, 0, MIXED, new String[0]);
  }

  private static long count(List<FileRow> files, String fate) {
    return files.stream().filter(file -> file.fate().equals(fate)).count();
  }

  /** The sums of both; the exit status is the common one of the failures, otherwise 1. */
  UnitFigures plus(UnitFigures other) {
    return new UnitFigures(
        done + other.done,
        unchanged + other.unchanged,
        due + other.due,
        failed + other.failed,
        deleted + other.deleted,
        bytesMoved + other.bytesMoved,
        bytesKept + other.bytesKept,
        common(exitStatus, other.exitStatus),
        Stream.of(messages, other.messages)
            .flatMap(Arrays::stream)
            .limit(MOST_MESSAGES)
            .toArray(String[]::new));
  }

  /** The figures without kept bytes: other units have moved the ranges. */
  UnitFigures withoutKept() {
    return new UnitFigures(
        done, unchanged, due, failed, deleted, bytesMoved, 0, exitStatus, messages);
  }

  private static int common(int one, int other) {
    if (one == OK || other == OK) {
      return one + other;
    }
    return one == other ? one : MIXED;
  }

  long done() {
    return done;
  }

  long unchanged() {
    return unchanged;
  }

  long due() {
    return due;
  }

  long failed() {
    return failed;
  }

  long deleted() {
    return deleted;
  }

  long bytesMoved() {
    return bytesMoved;
  }

  long bytesKept() {
    return bytesKept;
  }

  /** The messages of the first failed files. */
  List<String> messages() {
    return List.of(messages);
  }

  /** 0 when everything is at the destination. */
  int exitStatus() {
    return exitStatus;
  }
}
