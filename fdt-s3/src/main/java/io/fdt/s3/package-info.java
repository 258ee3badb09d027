/** Buckets of S3 as sources and destinations of transfers. */
package io.fdt.s3;
