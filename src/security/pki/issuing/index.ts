/**
 * Creates certificates and certificate requests with the libraries of `@peculiar`, which load with the first one.
 *
 * @module
 */
export { encodeCertificate } from './certificate.js';
export { encodeCertificateRequest } from './request.js';
