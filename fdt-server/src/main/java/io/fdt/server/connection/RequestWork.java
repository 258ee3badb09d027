package io.fdt.server.connection;

import io.fdt.core.engine.FileDigests;
import io.fdt.core.engine.meter.HostLimitsReader;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.error.Setting;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.Checksum;
import io.fdt.core.model.EntryKind;
import io.fdt.core.storage.Attributes;
import io.fdt.core.storage.ExportedStorage;
import io.fdt.core.storage.ListedFile;
import io.fdt.core.storage.ListingVisitor;
import io.fdt.core.storage.RemovalVisitor;
import io.fdt.core.storage.Storage;
import io.fdt.core.wire.ChecksumCoding;
import io.fdt.core.wire.ManifestCoding;
import io.fdt.core.wire.control.ChangeAttributes;
import io.fdt.core.wire.control.Digests;
import io.fdt.core.wire.control.Look;
import io.fdt.core.wire.control.ReadFile;
import io.fdt.core.wire.control.Remove;
import io.fdt.core.wire.control.Rename;
import io.fdt.core.wire.control.Request;
import io.fdt.server.limits.ReadPace;
import java.util.OptionalInt;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Executes one request. Confined to the thread of the request. */
final class RequestWork {
  private static final Logger LOG = LoggerFactory.getLogger(RequestWork.class);

  private final ExportedStorage roots;
  private final FileDigests digests;
  private final RelayRequests relay;
  private final ReadPace readPace;
  private final RequestLog log;
  private final RequestAnswer answer;

  RequestWork(
      ExportedStorage roots,
      FileDigests digests,
      RelayRequests relay,
      ReadPace readPace,
      RequestLog log,
      RequestAnswer answer) {
    this.roots = roots;
    this.digests = digests;
    this.relay = relay;
    this.readPace = readPace;
    this.log = log;
    this.answer = answer;
  }

  void run(Request request) {
    boolean isServed = false;
    try {
      serve(request);
      isServed = true;
      answer.done();
    } catch (FdtException e) {
      failed(request, isServed, e);
    } catch (InterruptedException e) {
      failed(
          request,
          isServed,
          new FdtException(ErrorCode.SHUTTING_DOWN, "the server is stopping", e));
    } catch (RuntimeException | Error e) {
      LOG.error("defect request={}", request.getWhatCase(), e);
      failed(request, isServed, FdtException.unforeseen(request.getWhatCase() + " failed", e));
    }
  }

  private void failed(Request request, boolean isServed, FdtException cause) {
    if (!isServed) {
      log.failed(request, cause, answer.entries());
    }
    answer.failed(cause);
  }

  private void serve(Request request) throws FdtException, InterruptedException {
    switch (request.getWhatCase()) {
      case LOOK -> look(request.getLook());
      case MAKE_DIRECTORY ->
          roots.makeDirectory(
              path(request.getMakeDirectory().getPath().toByteArray()),
              request.getMakeDirectory().getParents());
      case RENAME -> rename(request.getRename());
      case REMOVE -> remove(request);
      case DIGESTS -> digests(request.getDigests());
      case MEASURE -> measure(path(request.getMeasure().getPath().toByteArray()));
      case DESCRIBE_HOST -> answer.host(HostLimitsReader.read(), roots.writable(), relay.offered());
      case OPEN_ROUTE -> answer.route(relay.open(request.getOpenRoute()));
      case DESCRIBE_ROUTE -> answer.routeState(relay.describe(request.getDescribeRoute()));
      case HAND_OVER -> answer.place(relay.handOver(request.getHandOver()));
      case READ_FILE -> readFile(request.getReadFile());
      case CHANGE_ATTRIBUTES -> changeAttributes(request.getChangeAttributes());
      case WHAT_NOT_SET -> throw new FdtException(ErrorCode.PROTOCOL, "a request for nothing");
    }
  }

  private static BytePath path(byte[] bytes) throws FdtException {
    try {
      return BytePath.of(bytes);
    } catch (IllegalArgumentException e) {
      throw new FdtException(ErrorCode.BAD_NAME, e.getMessage(), e);
    }
  }

  private void look(Look look) throws FdtException, InterruptedException {
    Storage.Depth depth =
        switch (look.getDepth()) {
          case ITSELF -> Storage.Depth.ITSELF;
          case CONTENTS -> Storage.Depth.CONTENTS;
          case TREE -> Storage.Depth.TREE;
          default -> throw new FdtException(ErrorCode.PROTOCOL, "a look without a depth");
        };
    roots.list(path(look.getPath().toByteArray()), depth, new Found(answer::file));
  }

  private void readFile(ReadFile request) throws FdtException, InterruptedException {
    if (request.getOffset() < 0 || request.getLength() < 0) {
      throw new FdtException(ErrorCode.PROTOCOL, "a range beyond all files");
    }
    BytePath path = path(request.getPath().toByteArray());
    roots.list(
        path,
        Storage.Depth.ITSELF,
        item -> RangeRead.of(item, request, answer, readPace, bytes -> log.read(path, bytes)));
  }

  private void rename(Rename request) throws FdtException {
    BytePath from = path(request.getFrom().toByteArray());
    BytePath to = path(request.getTo().toByteArray());
    roots.rename(from, to, request.getReplace());
    log.renamed(from, to);
  }

  private void changeAttributes(ChangeAttributes request) throws FdtException {
    int mode = request.getModePlusOne() - 1;
    if (mode < -1 || mode > 0777) {
      throw new FdtException(ErrorCode.PROTOCOL, "a mode beyond all permissions");
    }
    roots.changeAttributes(
        path(request.getPath().toByteArray()),
        request.hasModified() ? ManifestCoding.decode(request.getModified()) : null,
        mode < 0 ? OptionalInt.empty() : OptionalInt.of(mode));
  }

  private void measure(BytePath path) throws FdtException, InterruptedException {
    roots.list(path, Storage.Depth.TREE, new Found(item -> {}));
  }

  private void digests(Digests request) throws FdtException, InterruptedException {
    BytePath path = path(request.getPath().toByteArray());
    Checksum checksum = ChecksumCoding.decode(request.getChecksum());
    if (checksum == Checksum.NONE) {
      throw new FdtException(ErrorCode.USAGE, "a digest by no checksum: choose one");
    }
    if (!request.getRecursive()) {
      refuseOtherThanFile(path);
    }
    FileDigests.Reader reader = digests.reader(checksum, request.getPlain());
    roots.list(
        path,
        Storage.Depth.TREE,
        new Found(
            item -> {
              if (item.attributes().is(EntryKind.FILE)) {
                digest(item, reader);
              }
            }));
  }

  private void refuseOtherThanFile(BytePath path) throws FdtException, InterruptedException {
    roots.list(
        path,
        Storage.Depth.ITSELF,
        item -> {
          if (!item.attributes().is(EntryKind.FILE)) {
            boolean isDirectory = item.attributes().is(EntryKind.DIRECTORY);
            throw new FdtException(
                ErrorCode.WRONG_KIND,
                isDirectory
                    ? "'%s' is a directory; add %s for the files in it"
                        .formatted(path, Setting.DIGEST_TREE)
                    : "'"
                        + path
                        + "' is not a file; links are not followed: name what it leads to");
          }
        });
  }

  private void digest(ListingVisitor.Item item, FileDigests.Reader reader)
      throws FdtException, InterruptedException {
    byte[] digest;
    try (ListedFile file = item.opener().open()) {
      digest = reader.digest(file, bytes -> answer.goesOn());
    } catch (FdtException e) {
      if (e.code() == ErrorCode.TIMEOUT || e.code() == ErrorCode.UNAUTHENTICATED) {
        throw e;
      }
      answer.problem(item.name().toString(), e);
      return;
    }
    answer.digest(item.name(), item.attributes().size(), digest);
  }

  private void remove(Request request) throws FdtException, InterruptedException {
    Remove wanted = request.getRemove();
    BytePath path = path(wanted.getPath().toByteArray());
    if (wanted.getEmptyDirectory()) {
      if (wanted.getRecursive()) {
        throw new FdtException(ErrorCode.PROTOCOL, "an empty directory with its contents");
      }
      answer.count(roots.removeOne(path));
      log.removed(path);
      return;
    }
    Removed removed = new Removed();
    roots.remove(path, wanted.getRecursive(), removed);
    if (removed.failure == null) {
      log.removed(path);
    } else {
      log.failed(request, removed.failure, answer.entries());
    }
  }

  /** Counts the names that are removed, and reports problems to the client. */
  private final class Removed implements RemovalVisitor {
    /** The first; null for none. */
    private FdtException failure;

    @Override
    public void removed(Attributes what) throws FdtException, InterruptedException {
      answer.count(what);
      answer.goesOn();
    }

    @Override
    public void failed(String path, FdtException cause) throws FdtException, InterruptedException {
      failure = failure == null ? cause : failure;
      answer.problem(path, cause);
      answer.goesOn();
    }
  }

  /** Processes each item found, and reports problems to the client. */
  private final class Found implements ListingVisitor {
    private final ItemUse use;

    private Found(ItemUse use) {
      this.use = use;
    }

    @Override
    public void item(ListingVisitor.Item item) throws FdtException, InterruptedException {
      answer.goesOn();
      use.use(item);
      answer.count(item.attributes());
    }

    @Override
    public void failed(BytePath name, FdtException cause)
        throws FdtException, InterruptedException {
      answer.problem(name.toString(), cause);
    }
  }

  private interface ItemUse {
    void use(ListingVisitor.Item item) throws FdtException, InterruptedException;
  }
}
