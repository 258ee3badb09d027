/** The full-screen page of a transfer. */
package io.fdt.cli.monitor;
