/** The exports of a server over HTTP and WebDAV: a jar beside {@code fdt.jar}. */
package io.fdt.webdav;
