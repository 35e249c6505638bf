import{a,b,c}from"./chunk-APZ2BEYI.js";import"./chunk-3S6HH2FD.js";c();export{b as Push,a as renewPush};
