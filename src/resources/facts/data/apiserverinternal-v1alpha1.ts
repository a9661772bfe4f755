// Made by scripts/make-kinds.js from the facts of release 1.31. Do not edit.

/** The object types of the package, one in each line. */
export const types = String.raw`
{"name":"ServerStorageVersion","fields":[{"name":"apiServerID","type":"string","omitempty":true,"number":1},{"name":"encodingVersion","type":"string","omitempty":true,"number":2},{"name":"decodableVersions","type":"array","omitempty":true,"number":3,"items":{"type":"string"},"listType":"set"},{"name":"servedVersions","type":"array","omitempty":true,"number":4,"items":{"type":"string"},"listType":"set"}]}
{"name":"StorageVersion","fields":[{"name":"metadata","type":"ref","omitempty":true,"number":1,"ref":"meta.v1.ObjectMeta"},{"name":"spec","type":"ref","required":true,"number":2,"ref":"apiserverinternal.v1alpha1.StorageVersionSpec"},{"name":"status","type":"ref","required":true,"number":3,"ref":"apiserverinternal.v1alpha1.StorageVersionStatus"}]}
{"name":"StorageVersionCondition","fields":[{"name":"type","type":"string","required":true,"number":1},{"name":"status","type":"string","required":true,"number":2},{"name":"observedGeneration","type":"int64","omitempty":true,"number":3},{"name":"lastTransitionTime","type":"time","omitempty":true,"number":4,"nullable":true},{"name":"reason","type":"string","required":true,"number":5},{"name":"message","type":"string","omitempty":true,"required":true,"number":6}]}
{"name":"StorageVersionSpec","fields":[]}
{"name":"StorageVersionStatus","fields":[{"name":"storageVersions","type":"array","omitempty":true,"number":1,"items":{"type":"ref","ref":"apiserverinternal.v1alpha1.ServerStorageVersion"},"listType":"map","listMapKeys":["apiServerID"]},{"name":"commonEncodingVersion","type":"string","pointer":true,"omitempty":true,"number":2},{"name":"conditions","type":"array","omitempty":true,"number":3,"items":{"type":"ref","ref":"apiserverinternal.v1alpha1.StorageVersionCondition"},"listType":"map","listMapKeys":["type"]}]}
`;
