// Made by scripts/make-kinds.js from the facts of release 1.31. Do not edit.

/** The object types of the package, one in each line. */
export const types = String.raw`
{"name":"GroupVersionResource","fields":[{"name":"group","type":"string","omitempty":true,"number":1},{"name":"version","type":"string","omitempty":true,"number":2},{"name":"resource","type":"string","omitempty":true,"number":3}]}
{"name":"MigrationCondition","fields":[{"name":"type","type":"string","required":true,"number":1},{"name":"status","type":"string","required":true,"number":2},{"name":"lastUpdateTime","type":"time","omitempty":true,"number":3,"nullable":true},{"name":"reason","type":"string","omitempty":true,"number":4},{"name":"message","type":"string","omitempty":true,"number":5}]}
{"name":"StorageVersionMigration","fields":[{"name":"metadata","type":"ref","omitempty":true,"number":1,"ref":"meta.v1.ObjectMeta"},{"name":"spec","type":"ref","omitempty":true,"number":2,"ref":"storagemigration.v1alpha1.StorageVersionMigrationSpec"},{"name":"status","type":"ref","omitempty":true,"number":3,"ref":"storagemigration.v1alpha1.StorageVersionMigrationStatus"}]}
{"name":"StorageVersionMigrationSpec","fields":[{"name":"resource","type":"ref","required":true,"number":1,"ref":"storagemigration.v1alpha1.GroupVersionResource"},{"name":"continueToken","type":"string","omitempty":true,"number":2}]}
{"name":"StorageVersionMigrationStatus","fields":[{"name":"conditions","type":"array","omitempty":true,"number":1,"items":{"type":"ref","ref":"storagemigration.v1alpha1.MigrationCondition"},"listType":"map","listMapKeys":["type"],"patchStrategy":"merge","patchMergeKey":"type"},{"name":"resourceVersion","type":"string","omitempty":true,"number":2}]}
`;
