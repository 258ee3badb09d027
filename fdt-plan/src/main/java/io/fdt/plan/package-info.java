/**
 * Copies that many machines work on: a plan directory holds units of files, and workers claim them.
 * docs/PLAN.md describes the directory.
 */
package io.fdt.plan;
