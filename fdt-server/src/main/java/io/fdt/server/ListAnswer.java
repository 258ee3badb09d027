package io.fdt.server;

import com.google.protobuf.ByteString;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.manifest.BytePath;
import io.fdt.core.storage.ExportedRoots;
import io.fdt.core.storage.LocalListing;
import io.fdt.core.transport.ControlConnection;
import io.fdt.core.wire.ManifestCoding;
import io.fdt.core.wire.MessageText;
import io.fdt.core.wire.control.Abort;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.EntryKind;
import io.fdt.core.wire.control.ListReply;
import io.fdt.core.wire.control.ListedFile;
import java.time.Duration;

/**
 * The answer to one request for a listing, in messages of a few hundred names, no faster than the
 * client reads them. Runs where it may wait for a disk and for the client.
 */
final class ListAnswer {
  private static final int NAMES_PER_MESSAGE = 500;

  /** Names and targets of links in one message, beyond which no more are added. */
  private static final int BYTES_PER_MESSAGE = 256 << 10;

  /** Several messages: the network need not wait for the disk. */
  private static final long MAX_PENDING_BYTES = 1 << 20;

  private final ControlConnection connection;
  private final ExportedRoots roots;
  private final Duration patience;
  private final Runnable lastGoesOut;
  private ListReply.Builder reply = ListReply.newBuilder();
  private int replyBytes;

  /**
   * @param patience how long the client may read nothing
   * @param lastGoesOut runs before the last message is sent
   */
  ListAnswer(
      ControlConnection connection, ExportedRoots roots, Duration patience, Runnable lastGoesOut) {
    this.connection = connection;
    this.roots = roots;
    this.patience = patience;
    this.lastGoesOut = lastGoesOut;
  }

  void send(BytePath path) {
    try {
      LocalListing.list(roots, path, this::add);
      lastGoesOut.run();
      send(false);
    } catch (FdtException e) {
      fail(e);
    } catch (InterruptedException e) {
      fail(new FdtException(ErrorCode.SHUTTING_DOWN, "the server is stopping", e));
    } catch (RuntimeException e) {
      fail(new FdtException(ErrorCode.INTERNAL, "listing failed: " + e, e));
    }
  }

  private void fail(FdtException cause) {
    connection.send(
        Control.newBuilder()
            .setAbort(
                Abort.newBuilder()
                    .setCode(cause.code().wireCode())
                    .setMessage(MessageText.fit(cause.getMessage())))
            .build());
    connection.close();
  }

  private boolean add(LocalListing.Item item) throws FdtException, InterruptedException {
    if (reply.getFilesCount() >= NAMES_PER_MESSAGE || replyBytes >= BYTES_PER_MESSAGE) {
      send(true);
      connection.awaitPending(MAX_PENDING_BYTES, patience);
    }
    replyBytes += item.name().length() + item.linkTarget().length();
    reply.addFiles(
        ListedFile.newBuilder()
            .setName(ByteString.copyFrom(item.name().bytes()))
            .setKind(item.attributes().kind().map(ManifestCoding::encode).orElse(EntryKind.OTHER))
            .setSize(item.attributes().size())
            .setMode(item.attributes().mode())
            .setModified(ManifestCoding.encode(item.attributes().modified()))
            .setLinkTarget(ByteString.copyFrom(item.linkTarget().bytes())));
    return true;
  }

  private void send(boolean more) {
    connection.send(Control.newBuilder().setListReply(reply.setMore(more)).build());
    reply = ListReply.newBuilder();
    replyBytes = 0;
  }
}
