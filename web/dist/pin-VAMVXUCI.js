import{a,b,c}from"./chunk-UDMRVZXF.js";import"./chunk-DKZEZLDA.js";c();export{a as SetPIN,b as default};
