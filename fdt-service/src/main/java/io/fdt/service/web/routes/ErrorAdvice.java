package io.fdt.service.web.routes;

import io.fdt.core.error.ErrorCode;

/** Advice to users about errors. Pure. */
final class ErrorAdvice {
  private ErrorAdvice() {}

  /** The advice for the name of a code; that of INTERNAL for an unknown name. */
  static String of(String code) {
    try {
      return of(ErrorCode.valueOf(code));
    } catch (IllegalArgumentException e) {
      return of(ErrorCode.INTERNAL);
    }
  }

  private static String of(ErrorCode code) {
    return switch (code) {
      case INTERNAL -> "This is a defect: report the message and the log of the service.";
      case USAGE -> "Change the options that the message names, and submit the task again.";
      case UNREACHABLE ->
          "Check that the server runs and that no firewall is in the way; 'Check' on the page of"
              + " endpoints tests it. The task tries again by itself.";
      case NOT_FDT ->
          "Another program listens at that port: remove the endpoint and add the right port.";
      case VERSION -> "Install the same version of FDT at both endpoints.";
      case PROTOCOL -> "If it happens again, report the message and the logs of both servers.";
      case TIMEOUT ->
          "Nothing moved for too long: check the network and the disks of both endpoints. The task"
              + " continues where it was.";
      case SHUTTING_DOWN -> "The server is being stopped; the task continues when it is back.";
      case BUSY -> "The server is full; the task tries again by itself.";
      case UNAUTHENTICATED ->
          "The server no longer accepts the token of the endpoint: get a new one from its"
              + " administrator, give it with 'Modify' on the page of endpoints or by"
              + " fdt endpoint modify NAME --token-file FILE, and submit the task again.";
      case FORBIDDEN ->
          "Choose another path; or get a token with this right from the endpoint's administrator,"
              + " give it with 'Modify' on the page of endpoints or by fdt endpoint modify NAME"
              + " --token-file FILE, and submit the task again.";
      case UNTRUSTED ->
          "The server's key is not the one that was trusted: ask its administrator for the"
              + " fingerprint, give it with 'Modify' on the page of endpoints or by"
              + " fdt endpoint modify NAME --fingerprint SHA256:..., and submit the task again.";
      case NOT_FOUND -> "Check the path: it does not exist, or no longer.";
      case PERMISSION ->
          "The operating system refuses: check owner and mode of the file and of its directory,"
              + " at the source for reading, at the destination for writing.";
      case WRONG_KIND ->
          "Submit it again: a directory with -r (subdirectories), another kind of file to a name"
              + " that is free at the destination.";
      case SOURCE_CHANGED ->
          "The file changed while it was read: it is sent again when it no longer changes.";
      case IO ->
          "A disk failed: look at the kernel's messages, at the source for reading, at the"
              + " destination for writing.";
      case BAD_NAME -> "The destination cannot store this name: rename the file.";
      case IN_USE -> "Another transfer writes the same file: the task waits for its end.";
      case STORAGE_FULL ->
          "Make room at the destination. The task continues where it was, by itself.";
      case READ_ONLY -> "The destination is mounted read-only: choose another one.";
      case RESOURCES ->
          "A server ran out of memory, threads or open files: raise the limit that the message"
              + " names, or use fewer streams.";
      case VERIFICATION ->
          "What arrived is not what was sent; it is sent again. If it happens often, test memory"
              + " and disks of both endpoints.";
      case TOO_MANY -> "More would be removed than allowed, so nothing was: raise that number.";
      case SOURCE_EMPTY ->
          "The source is empty, so nothing was removed: see whether it is mounted there, or allow"
              + " delete_from_empty.";
      case FILTER -> "A program at the endpoint refused the transfer: read its message.";
      case CANCELLED -> "The transfer was cancelled at a server: submit the task again.";
    };
  }
}
