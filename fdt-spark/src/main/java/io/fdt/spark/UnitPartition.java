package io.fdt.spark;

import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import org.apache.spark.Partition;

/**
 * A unit as a partition. In the driver it refers to the names of its files; in an executor it has
 * them.
 */
final class UnitPartition implements Partition {
  private static final long serialVersionUID = 1;

  private final int index;
  private final int unit;

  /** The names of all units; null in an executor. */
  private final transient UnitTexts texts;

  /**
   * The names of the unit's files; null in the driver, and for the last step, which has no list.
   */
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

  /** The names of its files, in the format of the plan. */
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
