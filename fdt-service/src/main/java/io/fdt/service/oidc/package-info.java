/** Sign-in by an identity provider: OpenID Connect, authorisation code with PKCE. */
package io.fdt.service.oidc;
