/**
 * The parts of this wing that load on first use.
 *
 * @module
 */
export const importAudit = () => import('./audit/index.js');
export type ImportOfAudit = typeof import('./audit/index.js');
export const importRequestHeader = () => import('./authn/request-header/index.js');
export const importTokenWebhook = () => import('./authn/webhook/token-webhook.js');
export const importX509 = () => import('./authn/x509/index.js');
export const importFrontProxyCertificate = () => import('./authorities/front-proxy-certificate.js');
export const importGeneratedAuthority = () => import('./authorities/generated-authority.js');
export const importIssuedCertificates = () => import('./authorities/issued-certificates.js');
export const importText = () => import('./authz/explain/text.js');
export const importAuthz = () => import('./authz/index.js');
export const importPki = () => import('./pki/index.js');
