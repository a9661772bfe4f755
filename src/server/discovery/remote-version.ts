/** A version of a group that another server serves. */
export interface RemoteVersion {
  readonly group: string;
  readonly version: string;
  readonly groupPriority: number;
  readonly versionPriority: number;
  /** Its entries of aggregated discovery, as the other server has them; empty before they were read. */
  readonly resources: readonly object[];
  /** Whether the entries could be read the last time. */
  readonly isCurrent: boolean;
}
