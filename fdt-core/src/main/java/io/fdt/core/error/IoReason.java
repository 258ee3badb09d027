package io.fdt.core.error;

import java.io.IOException;
import java.util.Map;

/**
 * The reason why a system call failed, as text for a message. Texts of exceptions differ between
 * platforms and contain names of classes. Pure.
 */
public final class IoReason {
  private static final String UNKNOWN = "input/output error";

  /** Keys are parts of the system's own text. */
  private static final Map<String, String> KNOWN =
      Map.ofEntries(
          Map.entry("No space left", "no space is left"),
          Map.entry("Disk quota", "the quota is used up"),
          Map.entry("Permission denied", "permission denied"),
          Map.entry("Operation not permitted", "permission denied"),
          Map.entry("Read-only file system", "the file system is read-only"),
          Map.entry("No such file", "there is no such file"),
          Map.entry("Is a directory", "it is a directory"),
          Map.entry("Not a directory", "a directory on its path is a file"),
          Map.entry("File name too long", "its name is too long"),
          Map.entry("Too many open files", "too many files are open"),
          Map.entry("Cannot allocate memory", "no memory is left"),
          Map.entry("Transport endpoint is not connected", "the file system there is dead"),
          Map.entry("Stale file handle", "its file handle is stale"),
          Map.entry("Broken pipe", "broken pipe, the peer closed it"),
          Map.entry("Stream closed", "it was closed"),
          Map.entry("Connection reset", "the connection broke"),
          Map.entry("Connection refused", "nothing listens there"),
          Map.entry("Address already in use", "the port is in use"),
          Map.entry("Cannot assign requested address", "no address of this host"));

  private IoReason() {}

  /** The reason, a clause without a full stop; the exception keeps the cause. */
  public static String of(IOException cause) {
    return switch (cause.getClass().getSimpleName()) {
      case "NoSuchFileException", "FileNotFoundException" -> "there is no such file";
      case "AccessDeniedException" -> "permission denied";
      case "FileAlreadyExistsException" -> "there is a file already";
      case "DirectoryNotEmptyException" -> "the directory is not empty";
      case "EOFException" -> "it ended early";
      default -> ofText(cause.getMessage());
    };
  }

  /** STORAGE_FULL when space or a quota is exhausted, otherwise IO. */
  public static ErrorCode codeOf(IOException cause) {
    String text = String.valueOf(cause.getMessage());
    return text.contains("No space left") || text.contains("Disk quota")
        ? ErrorCode.STORAGE_FULL
        : ErrorCode.IO;
  }

  private static String ofText(String text) {
    if (text == null) {
      return UNKNOWN;
    }
    return KNOWN.entrySet().stream()
        .filter(known -> text.contains(known.getKey()))
        .map(Map.Entry::getValue)
        .sorted()
        .findFirst()
        .orElse(UNKNOWN);
  }
}
