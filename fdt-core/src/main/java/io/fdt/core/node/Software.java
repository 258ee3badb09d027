package io.fdt.core.node;

/** What this program calls itself. */
public final class Software {
  private Software() {}

  /** Name and version, as both ends tell each other. */
  public static String name() {
    String version = Software.class.getPackage().getImplementationVersion();
    return "fdt " + (version == null ? "development" : version);
  }
}
