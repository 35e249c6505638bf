import{a,b,c}from"./chunk-WHLXRI4D.js";import"./chunk-UZ4NZBHR.js";import"./chunk-IIKMONSJ.js";c();export{a as default,b as engine};
