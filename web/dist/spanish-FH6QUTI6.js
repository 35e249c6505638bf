var r={};var s={...r};export{s as default};
