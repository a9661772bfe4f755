/**
 * Roles for the endpoints of the page. Kubernetes has no page, so they exist only while a server serves one.
 *
 * @module
 */
import type { BindingRow, PolicyWords, RoleRow } from './words.js';

/** The role of those who may ask who they are: everybody. */
const INFO = 'system:ui-info';

/** Returns the roles: `ui-viewer` reads what a user may see anyway, `ui-operator` sees what all users do. */
export const pageRoles = (words: PolicyWords): readonly RoleRow[] => {
  const viewed = words.urls(
    'get',
    '/ui/v1/attention /ui/v1/counts /ui/v1/counts/follow /ui/v1/related /ui/v1/timeline /ui/v1/writes /ui/v1/writes/follow',
  );
  const explained = words.urls('post', '/ui/v1/explain');
  return [
    { name: INFO, rules: [words.urls('get', '/ui/v1/info')] },
    { name: 'ui-viewer', rules: [viewed, explained] },
    {
      name: 'ui-operator',
      rules: [
        viewed,
        explained,
        words.urls('post', '/ui/v1/explain/others /ui/v1/who-can /ui/v1/access-matrix'),
        words.urls(
          'get',
          '/ui/v1/controllers /ui/v1/requests /ui/v1/requests/bodies /ui/v1/requests/follow /ui/v1/series',
        ),
      ],
    },
  ];
};

/** Returns the bindings of these roles. */
export const pageBindings = (words: PolicyWords): readonly BindingRow[] => [
  { name: INFO, subjects: [words.group('system:authenticated'), words.group('system:unauthenticated')] },
];
