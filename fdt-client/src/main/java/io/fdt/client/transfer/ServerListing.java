package io.fdt.client.transfer;

import io.fdt.client.FileProblem;
import io.fdt.client.SourceListing;
import io.fdt.client.TransferListener;
import io.fdt.client.TransferReport;
import io.fdt.client.TransferRequest;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Owner;
import io.fdt.core.model.Root;
import io.fdt.core.model.SourceVersion;
import io.fdt.core.model.Timestamp;
import io.fdt.core.node.Dialer;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.storage.DestinationDirectory;
import io.fdt.core.storage.DiskId;
import io.fdt.core.storage.FileShape;
import io.fdt.core.storage.PartialFile;
import io.fdt.core.storage.forward.DisklessDestination;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Receives the manifest of a server as a dry run into an empty destination, and forwards it to a
 * visitor.
 *
 * <p>The tree is confined to the thread that places entries; the visitor is called under a lock.
 */
public final class ServerListing extends DisklessDestination implements TransferListener {
  private static final DiskId NOWHERE = new DiskId("nowhere");

  private final OperandGroup group;
  private final SourceListing.Visitor visitor;
  private FdtException failure;
  private Runnable end = () -> {};

  private ServerListing(OperandGroup group, SourceListing.Visitor visitor) {
    this.group = group;
    this.visitor = visitor;
  }

  public static void run(
      Dialer dialer, TransferSpec spec, OperandGroup group, SourceListing.Visitor visitor)
      throws FdtException, InterruptedException {
    ServerListing listing = new ServerListing(group, visitor);
    TransferRequest request =
        new TransferRequest(
            TransferRequest.Direction.PULL,
            spec,
            false,
            false,
            Optional.empty(),
            Optional.empty(),
            "");
    try (ClientTransfer transfer =
        new ClientTransfer(
            dialer, TransferPlan.of(request).into(listing), Optional.empty(), listing, () -> {})) {
      listing.endBy(transfer::cancel);
      transfer.start();
      try {
        TransferReport unused = transfer.await();
      } catch (FdtException e) {
        throw listing.failureOr(e);
      }
    }
    listing.check();
  }

  private synchronized void endBy(Runnable action) {
    end = action;
  }

  private synchronized FdtException failureOr(FdtException other) {
    return failure == null ? other : failure;
  }

  private synchronized void check() throws FdtException {
    if (failure != null) {
      throw failure;
    }
  }

  private interface Report {
    void to(SourceListing.Visitor visitor) throws FdtException;
  }

  private synchronized void report(Report report) {
    if (failure != null) {
      return;
    }
    try {
      report.to(visitor);
    } catch (FdtException e) {
      failure = e;
      end.run();
    }
  }

  @Override
  public void problem(FileProblem problem) {
    report(target -> target.problem(problem));
  }

  @Override
  public Base open(List<Root> roots) {
    return new Base(new Listed(group.root()), null);
  }

  /** A directory of the source, empty at the destination. */
  private final class Listed extends DisklessDestination.Directory {
    private final SourceListing.Directory directory;

    Listed(SourceListing.Directory directory) {
      this.directory = directory;
    }

    @Override
    public String path() {
      return directory.arrival().toString();
    }

    @Override
    public DiskId disk() {
      return NOWHERE;
    }

    /** {@inheritDoc} Zero, so that {@link #findPartial} is called for each file. */
    @Override
    public long journaledBytes() {
      return 0;
    }

    @Override
    public DestinationDirectory makeDirectory(FileName name) {
      return new Listed(group.child(directory, name));
    }

    @Override
    public PartialFile findPartial(FileName name, SourceVersion version) {
      report(target -> group.report(directory, name, EntryKind.FILE, version.size(), target));
      return PartialFile.NONE;
    }

    @Override
    public boolean makeLink(
        FileName name,
        BytePath target,
        Timestamp modified,
        Owner owner,
        Consumer<FdtException> warnings) {
      report(receiver -> group.report(directory, name, EntryKind.SYMLINK, 0, receiver));
      return false;
    }

    @Override
    public PendingFile create(FileName name, FileShape shape) {
      throw new IllegalStateException("a listing writes nothing");
    }
  }
}
