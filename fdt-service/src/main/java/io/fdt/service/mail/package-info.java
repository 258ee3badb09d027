/** E-mail to users: the settings of the mail server, and its client. */
package io.fdt.service.mail;
