package io.fdt.client.transfer;

import io.fdt.client.FileProblem;
import io.fdt.client.SourceListing;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.Entry;
import io.fdt.core.model.EntryKind;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.storage.SourceTree;
import io.fdt.storage.Storages;
import java.util.HashMap;
import java.util.Map;

/** Forwards the results of a local walk to a visitor. Confined to one thread. */
public final class LocalListing implements SourceTree.Visitor {
  private final OperandGroup group;
  private final SourceListing.Visitor visitor;

  /** Directories still being listed. */
  private final Map<Long, SourceListing.Directory> open = new HashMap<>();

  private FdtException failure;

  private LocalListing(OperandGroup group, SourceListing.Visitor visitor) {
    this.group = group;
    this.visitor = visitor;
    open.put(Entry.ROOT, group.root());
  }

  public static void run(TransferSpec spec, OperandGroup group, SourceListing.Visitor visitor)
      throws FdtException, InterruptedException {
    LocalListing listing = new LocalListing(group, visitor);
    try (SourceTree source = Storages.ofSources(spec.sources()).source(spec)) {
      source.walk(listing);
    } catch (InterruptedException e) {
      if (listing.failure == null) {
        throw e;
      }
    }
    if (listing.failure != null) {
      throw listing.failure;
    }
  }

  @Override
  public void entry(Entry entry, SourceTree.SourceFile file) throws InterruptedException {
    if (file != null) {
      file.release();
    }
    SourceListing.Directory parent = open.get(entry.parentId());
    if (entry.kind() == EntryKind.DIRECTORY) {
      open.put(entry.id(), group.child(parent, entry.name()));
      return;
    }
    try {
      group.report(parent, entry.name(), entry.kind(), entry.size(), visitor);
    } catch (FdtException e) {
      failure = e;
      throw new InterruptedException("the visitor ended the listing");
    }
  }

  @Override
  public void directoryEnd(long id) {
    open.remove(id);
  }

  @Override
  public void skipped(String path, String reason) {
    problem(new FileProblem(path, true, ErrorCode.WRONG_KIND, reason));
  }

  @Override
  public void failed(String path, FdtException reason) {
    problem(new FileProblem(path, false, reason.code(), reason.getMessage()));
  }

  private void problem(FileProblem problem) {
    try {
      visitor.problem(problem);
    } catch (FdtException e) {
      failure = failure == null ? e : failure;
    }
  }
}
