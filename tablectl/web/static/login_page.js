// The page to log in.

import { byId } from "./dom.js";
import { loginForm } from "./login.js";
import { page } from "./plain.js";

page("login_title", (texts) => byId("form").replaceChildren(loginForm(texts, () => location.assign("/"))));
