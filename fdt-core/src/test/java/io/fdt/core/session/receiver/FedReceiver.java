package io.fdt.core.session.receiver;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.Entry;
import io.fdt.core.model.EntryKind;
import io.fdt.core.wire.BatchCoding;
import io.fdt.core.wire.ControlDecoder;
import io.fdt.core.wire.FrameHeader;
import io.fdt.core.wire.FrameReader;
import io.fdt.core.wire.Pack;
import io.fdt.core.wire.PackRecord;
import io.fdt.core.wire.PayloadDecoder;
import io.fdt.core.wire.ReceivedFrame;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.FileEnd;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.ByteArrayOutputStream;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * A real receiver's session behind the real decoders, fed with the bytes of one control connection
 * and one stream; its disk keeps what is written in memory and answers at once.
 */
public final class FedReceiver implements AutoCloseable {
  /** Blocks by offset; nothing is allocated by the size that the peer says. */
  private final Map<Long, TreeMap<Long, byte[]>> files = new HashMap<>();

  private final ArrayDeque<Runnable> later = new ArrayDeque<>();
  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
  private final ControlDecoder decoder = new ControlDecoder();
  private final FrameReader frames;
  private final ReceiverDriver<Long> session;
  private boolean finishing;
  private boolean streamLost;

  /** What has its final name, by id. */
  public final Map<Long, byte[]> stored = new HashMap<>();

  public FedReceiver(int maxPayload, Consumer<Control.Builder> outbox) {
    frames = new FrameReader(maxPayload, allocator, PayloadDecoder.NONE);
    session = new ReceiverDriver<>(outbox, new Actions());
  }

  public ReceiverDriver<Long> session() {
    return session;
  }

  /** Bytes outside of the heap that payloads hold now. */
  public long directMemory() {
    return allocator.metric().usedDirectMemory();
  }

  /** Bytes of the control connection. */
  public void control(byte[] bytes) throws FdtException {
    decoder.feed(Unpooled.wrappedBuffer(bytes), this::onControl);
  }

  /** Bytes of the stream; one that breaks the rules is lost, and only that. */
  public void data(byte[] bytes) throws FdtException {
    if (streamLost) {
      return;
    }
    List<ReceivedFrame> whole = new ArrayList<>();
    try {
      frames.copyAndRelease(Unpooled.wrappedBuffer(bytes), whole::add);
    } catch (FdtException e) {
      if (e.code() != ErrorCode.PROTOCOL) {
        throw e;
      }
      streamLost = true;
    }
    try {
      for (ReceivedFrame frame : whole) {
        onFrame(frame);
      }
    } finally {
      whole.forEach(ReceivedFrame::release);
    }
  }

  private void onControl(Control message) throws FdtException {
    switch (message.getBodyCase()) {
      case MANIFEST_BATCH -> {
        List<Entry> entries = BatchCoding.decode(message.getManifestBatch());
        session.onManifest(entries);
        for (long ended : message.getManifestBatch().getEndedDirectoriesList()) {
          session.onDirectoryEnd(ended);
        }
        later.add(() -> entries.forEach(this::place));
      }
      case MANIFEST_END -> session.onManifestEnd(message.getManifestEnd());
      case FILE_ENDS -> {
        for (FileEnd end : message.getFileEnds().getFilesList()) {
          session.onFileEnd(end);
        }
      }
      default -> throw new FdtException(ErrorCode.PROTOCOL, "not of a sender");
    }
    afterEvent();
  }

  private void place(Entry entry) {
    if (entry.kind() == EntryKind.FILE) {
      IncomingFile<Long> file = session.file(entry.id());
      files.put(entry.id(), new TreeMap<>());
      session.onWanted(file, List.of(), entry.id());
    } else {
      session.onPrepared(entry);
    }
  }

  private void onFrame(ReceivedFrame frame) throws FdtException {
    FrameHeader header = frame.header();
    if (!frame.isIntact()) {
      session.reject(0, header.number());
    } else if (header.type() == FrameHeader.Type.BLOCK) {
      IncomingFile<Long> file = session.onBlock(header.fileId(), header.offset(), header.length());
      if (file != null) {
        write(file.id(), header.offset(), ByteBufUtil.getBytes(frame.payload()));
        session.onWritten(file, header.offset(), header.length(), header.payloadCrc());
      }
      session.acknowledge(0, header.number());
    } else {
      for (PackRecord record : Pack.read(frame.payload(), header.fileId())) {
        IncomingFile<Long> file = session.onRecord(record.fileId(), record.size());
        if (file != null) {
          write(file.id(), 0, ByteBufUtil.getBytes(record.slice(frame.payload())));
          stored.put(file.id(), content(file.id()));
          session.onRecordStored(file);
        }
      }
      session.acknowledge(0, header.number());
    }
    afterEvent();
  }

  private void write(long id, long offset, byte[] bytes) {
    files.get(id).put(offset, bytes);
  }

  private byte[] content(long id) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    files.get(id).values().forEach(out::writeBytes);
    return out.toByteArray();
  }

  private void afterEvent() {
    for (Runnable next = later.poll(); next != null; next = later.poll()) {
      next.run();
    }
    session.flush();
    if (session.isFinished() && !finishing) {
      finishing = true;
      session.sendFinished();
    }
  }

  @Override
  public void close() {
    decoder.close();
    frames.close();
  }

  private final class Actions implements ReceiverDriver.Actions<Long> {
    @Override
    public void store(IncomingFile<Long> file) {
      later.add(
          () -> {
            stored.put(file.id(), content(file.id()));
            session.onStored(file);
          });
    }

    @Override
    public void settled(IncomingFile<Long> file, ErrorCode failure, String message) {
      files.remove(failure == null ? -1 : file.id());
    }

    @Override
    public void finishDirectory(Entry directory) {
      later.add(() -> session.onDirectoryFinished(directory, null, ""));
    }

    @Override
    public void failed(Entry entry, ErrorCode failure, String message) {
      throw new AssertionError("nothing fails here: " + entry + " " + message);
    }
  }
}
