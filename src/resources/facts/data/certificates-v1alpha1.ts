// Made by scripts/make-kinds.js from the facts of release 1.31. Do not edit.

/** The object types of the package, one in each line. */
export const types = String.raw`
{"name":"ClusterTrustBundle","description":"CA certificates that every user may read, for one signer or without a signer.","fields":[{"name":"metadata","type":"ref","omitempty":true,"number":1,"ref":"meta.v1.ObjectMeta"},{"name":"spec","type":"ref","required":true,"number":2,"ref":"certificates.v1alpha1.ClusterTrustBundleSpec","goType":"v1alpha1.ClusterTrustBundleSpec","description":"The trust anchors and their signer."}]}
{"name":"ClusterTrustBundleSpec","description":"The trust anchors and their signer.","fields":[{"name":"signerName","type":"string","omitempty":true,"number":1,"description":"The signer whose certificates the trust anchors verify. Optional and immutable. The name of the bundle starts with it, with colons for slashes."},{"name":"trustBundle","type":"string","required":true,"number":2,"description":"CA certificates as PEM: CERTIFICATE blocks without headers and without duplicates. Readers may reorder them and drop the text between them."}]}
`;
