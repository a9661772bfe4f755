/** Returns a choice that the browser has kept. It is a taste, no secret: it may outlive the tab. */
export function keptChoice(key: string): string | undefined {
  try {
    return localStorage.getItem(key) ?? undefined;
  } catch {
    // A browser may refuse to keep anything.
    return undefined;
  }
}

/** Lets the browser keep a choice. @param choice undefined to forget it */
export function keepChoice(key: string, choice: string | undefined): void {
  try {
    if (choice === undefined) localStorage.removeItem(key);
    else localStorage.setItem(key, choice);
  } catch {
    // It lasts as long as the tab.
  }
}
