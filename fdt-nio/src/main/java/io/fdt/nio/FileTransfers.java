package io.fdt.nio;

import io.fdt.client.FdtClient;
import io.fdt.client.FileProblem;
import io.fdt.client.Transfer;
import io.fdt.client.TransferListener;
import io.fdt.client.TransferReport;
import io.fdt.client.TransferRequest;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.Operand;
import io.fdt.core.model.Preservation;
import io.fdt.core.model.Preservation.Aspect;
import io.fdt.core.model.SyncRule;
import io.fdt.nio.server.FileErrors;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Transfers of one file system. Any thread. */
final class FileTransfers {
  /** Keeps neither time nor mode: a new file has the current time and the default mode. */
  private static final Preservation PLAIN = Preservation.of(Set.of(Aspect.SPARSE));

  private static final Preservation WITH_MODE = Preservation.of(Set.of(Aspect.SPARSE, Aspect.MODE));

  private static final SyncRule ALWAYS = new SyncRule(SyncRule.Level.NEVER, false);

  private final FdtFileSystem fileSystem;
  private final int streams;

  FileTransfers(FdtFileSystem fileSystem, int streams) {
    this.fileSystem = fileSystem;
    this.streams = streams;
  }

  /** Starts sending the bytes of a file to a stream, in order. */
  Transfer read(FdtPath path, OutputStream target) throws IOException {
    return start(
        path,
        TransferRequest.pull()
            .source(Operand.of(path.bytes()))
            .output(target)
            .streams(streams)
            .build());
  }

  /** Starts writing a stream to a file, which appears when the stream has ended. */
  Transfer write(FdtPath path, InputStream source, boolean durable) throws IOException {
    return start(
        path,
        TransferRequest.push()
            .input(source)
            .destination(path.bytes())
            .streams(streams)
            .fsync(durable)
            .preservation(PLAIN)
            .build());
  }

  /** Copies one file of the server over a local one, and waits. */
  void download(FdtPath path, Path local) throws IOException {
    await(
        path,
        start(
            path,
            TransferRequest.pull()
                .source(Operand.of(path.bytes()))
                .destination(local)
                .streams(streams)
                .sync(ALWAYS)
                .preservation(PLAIN)
                .build()));
  }

  /**
   * Copies one local file over one of the server, and waits.
   *
   * @param withMode whether it gets the permissions of the local file, atomically with its name
   */
  void upload(Path local, FdtPath path, boolean durable, boolean withMode) throws IOException {
    await(
        path,
        start(
            path,
            TransferRequest.push()
                .source(local)
                .destination(path.bytes())
                .streams(streams)
                .fsync(durable)
                .sync(ALWAYS)
                .preservation(withMode ? WITH_MODE : PLAIN)
                .build()));
  }

  /**
   * Copies files or trees, and waits.
   *
   * @param source on the server if {@code pull}; of a directory, its contents
   * @param target the new name of a file, or the directory that gets the contents
   */
  TransferReport copy(
      FdtPath remote, boolean pull, BytePath source, BytePath target, boolean isDirectory)
      throws IOException {
    TransferRequest.Builder request = pull ? TransferRequest.pull() : TransferRequest.push();
    BytePath operand = isDirectory ? source.resolve(BytePath.of("./")) : source;
    return await(
        remote,
        start(
            remote,
            request
                .sources(List.of(new Operand(operand, Optional.empty())))
                .destination(target)
                .destinationIsDirectory(isDirectory)
                .recursive(isDirectory)
                .streams(streams)
                .build()));
  }

  private Transfer start(FdtPath path, TransferRequest request) throws IOException {
    FdtClient client = fileSystem.client(path);
    return client.start(request, TransferListener.NONE);
  }

  /**
   * Waits for the end of a transfer.
   *
   * @throws IOException a file failed
   */
  TransferReport await(FdtPath path, Transfer transfer) throws IOException {
    try {
      TransferReport report = transfer.await();
      Optional<FileProblem> problem =
          report.problems().stream().filter(p -> !p.skipped()).findFirst();
      if (problem.isPresent()) {
        throw FileErrors.of(new FdtException(problem.get().code(), problem.get().message()), path);
      }
      return report;
    } catch (FdtException e) {
      throw FileErrors.of(e, path);
    } catch (InterruptedException e) {
      transfer.close();
      throw FileErrors.interrupted(e, path);
    } finally {
      fileSystem.remote().changed();
    }
  }
}
