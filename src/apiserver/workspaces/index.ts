/**
 * Workspaces: thousands of separate servers that share one store and one port.
 *
 * @module
 */
export type { WorkspaceQuota, WorkspacesOptions, WorkspaceServerOptions } from './options.js';
export { createWorkspaces, type OpenWorkspace, type WorkspaceInfo, type Workspaces } from './workspaces.js';
