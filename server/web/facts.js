// What the server told this page of the game, and where the server is.

export const GAME = JSON.parse(document.getElementById("game").textContent);

/** The server's root, which this file lies one folder below, wherever a proxy has put it. */
export const ROOT = new URL("..", import.meta.url);

export const RULES = GAME.rules;
export const TASKS = GAME.tasks.map((task) => task.name);
