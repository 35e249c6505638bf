import{a,b,c}from"./chunk-HZ3AWR2V.js";import"./chunk-3S6HH2FD.js";c();export{a as SetPIN,b as default};
