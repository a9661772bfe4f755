// Made by scripts/make-kinds.js from the facts of release 1.31. Do not edit.

/** The object types of the package, one in each line. */
export const types = String.raw`
{"name":"VolumeAttributesClass","fields":[{"name":"metadata","type":"ref","omitempty":true,"number":1,"ref":"meta.v1.ObjectMeta"},{"name":"driverName","type":"string","required":true,"number":2},{"name":"parameters","type":"map","omitempty":true,"number":3,"values":{"type":"string"}}]}
`;
