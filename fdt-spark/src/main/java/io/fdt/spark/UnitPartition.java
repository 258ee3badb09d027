package io.fdt.spark;

import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import org.apache.spark.Partition;

/**
 * A unit as a partition. That of the driver knows where the names of its files are, that of an
 * executor has them.
 */
final class UnitPartition implements Partition {
  private static final long serialVersionUID = 1;

  private final int index;
  private final int unit;

  /** Null in an executor. */
  private final transient UnitTexts texts;

  /** Null in the driver, and of the last step, which has no list. */
  private transient byte[] text;

  /**
   * A partition of the driver.
   *
   * @param unit its number; {@link UnitsRdd#LAST_STEP} for the last step
   */
  UnitPartition(int index, int unit, UnitTexts texts) {
    this.index = index;
    this.unit = unit;
    this.texts = texts;
  }

  @Override
  public int index() {
    return index;
  }

  int unit() {
    return unit;
  }

  /** The names of its files, as the plan has them. */
  byte[] text() {
    return text;
  }

  private void writeObject(ObjectOutputStream out) throws IOException {
    out.defaultWriteObject();
    byte[] names = texts.of(unit);
    out.writeInt(names.length);
    out.write(names);
  }

  private void readObject(ObjectInputStream in) throws IOException, ClassNotFoundException {
    in.defaultReadObject();
    text = in.readNBytes(in.readInt());
  }
}
