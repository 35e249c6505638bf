import{a,b,c}from"./chunk-26JDYGPW.js";import"./chunk-2WWN6WQ5.js";c();export{a as SetPIN,b as default};
