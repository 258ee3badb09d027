package io.fdt.core.node;

/** The name of this program. */
public final class Software {
  private Software() {}

  /** Name and version, as exchanged by both ends. */
  public static String name() {
    String version = Software.class.getPackage().getImplementationVersion();
    return "fdt " + (version == null ? "development" : version);
  }
}
