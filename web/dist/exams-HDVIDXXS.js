import{d as a,e as b,f as c}from"./chunk-ZHCVXOCV.js";import"./chunk-VPONEO7E.js";import"./chunk-YG3V7XG3.js";import"./chunk-4FJQJHQU.js";c();export{a as default,b as enters};
