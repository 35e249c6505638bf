import{a,b,c}from"./chunk-ASJARMWX.js";import"./chunk-GZ5BII3B.js";import"./chunk-BYYGTQDX.js";c();export{a as default,b as engine};
