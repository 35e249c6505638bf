var n=JSON.parse(document.getElementById("config").textContent);export{n as a};
