package io.fdt.client;

import com.google.protobuf.ByteString;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.manifest.BytePath;
import io.fdt.core.manifest.EntryKind;
import io.fdt.core.manifest.Timestamp;
import io.fdt.core.transport.ControlConnection;
import io.fdt.core.wire.MessageText;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.ListRequest;
import io.fdt.core.wire.control.ListedFile;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** One question to a server: what is in this directory? Used once. */
final class RemoteListing implements ControlConnection.Handler {
  /** What a client keeps of a listing. Memory: about 300 bytes each. */
  private static final int MAX_NAMES = 2_000_000;

  private final Dialer dialer;
  private final BytePath path;
  private final List<RemoteFile> files = new ArrayList<>();
  private final CompletableFuture<List<RemoteFile>> result = new CompletableFuture<>();
  private volatile long lastHeardNanos = System.nanoTime();

  RemoteListing(Dialer dialer, BytePath path) {
    this.dialer = dialer;
    this.path = path;
  }

  List<RemoteFile> await() throws FdtException, InterruptedException {
    Dialer.Dialed dialed = dialer.dial(dialer.loops().next(), connection -> this);
    try {
      dialed
          .control()
          .send(
              Control.newBuilder()
                  .setListRequest(
                      ListRequest.newBuilder().setPath(ByteString.copyFrom(path.bytes())))
                  .build());
      return answer();
    } finally {
      dialed.control().close();
    }
  }

  private List<RemoteFile> answer() throws FdtException, InterruptedException {
    while (true) {
      long silence = System.nanoTime() - lastHeardNanos;
      long left = dialer.idleTimeout().toNanos() - silence;
      try {
        return result.get(Math.max(left, 1), TimeUnit.NANOSECONDS);
      } catch (ExecutionException e) {
        throw Dialer.asFdtException(e.getCause());
      } catch (TimeoutException e) {
        if (System.nanoTime() - lastHeardNanos >= dialer.idleTimeout().toNanos()) {
          throw new FdtException(
              ErrorCode.TIMEOUT,
              "%s did not answer within %d s"
                  .formatted(dialer.host(), dialer.idleTimeout().toSeconds()),
              e);
        }
      }
    }
  }

  @Override
  public void message(Control message) throws FdtException {
    lastHeardNanos = System.nanoTime();
    switch (message.getBodyCase()) {
      case WELCOME -> {}
      case ABORT ->
          result.completeExceptionally(
              new FdtException(
                  ErrorCode.ofWireCode(message.getAbort().getCode()),
                  MessageText.received(message.getAbort().getMessage())));
      case LIST_REPLY -> {
        if (files.size() > MAX_NAMES) {
          throw new FdtException(
              ErrorCode.RESOURCES,
              "the listing has more than %d names: list a directory in it".formatted(MAX_NAMES));
        }
        for (ListedFile file : message.getListReply().getFilesList()) {
          files.add(remoteFile(file));
        }
        if (!message.getListReply().getMore()) {
          files.sort(
              Comparator.comparing(f -> f.name().bytes(), (a, b) -> Arrays.compareUnsigned(a, b)));
          result.complete(List.copyOf(files));
        }
      }
      default ->
          throw new FdtException(
              ErrorCode.PROTOCOL, message.getBodyCase() + " is no answer to a list request");
    }
  }

  private static RemoteFile remoteFile(ListedFile file) throws FdtException {
    try {
      return new RemoteFile(
          BytePath.of(file.getName().toByteArray()),
          switch (file.getKind()) {
            case FILE -> Optional.of(EntryKind.FILE);
            case DIRECTORY -> Optional.of(EntryKind.DIRECTORY);
            case SYMLINK -> Optional.of(EntryKind.SYMLINK);
            default -> Optional.empty();
          },
          file.getSize(),
          file.getMode(),
          new Timestamp(file.getModified().getSeconds(), file.getModified().getNanos()),
          BytePath.of(file.getLinkTarget().toByteArray()));
    } catch (IllegalArgumentException e) {
      throw new FdtException(ErrorCode.PROTOCOL, "bad entry in a listing: " + e.getMessage(), e);
    }
  }

  @Override
  public void closed(FdtException cause) {
    result.completeExceptionally(cause);
  }
}
